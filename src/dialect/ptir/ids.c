/* From the ids of a function, which are any 32-bit numbers, to small numbers. */
#include "dialect/ptir/lower.h"

bool ptir_ids_init(ptir_id_map *map, const tn_allocator *allocator, arena *memory, uint32_t largest,
                   uint32_t count)
{
    *map = (ptir_id_map){.allocator = allocator};
    /* Ids are nearly always counted up from 0. */
    map->n_dense = largest / 4 <= (uint64_t)count + 256 ? largest + (largest != UINT32_MAX) : 0;
    map->dense = arena_alloc(memory, (size_t)map->n_dense * sizeof *map->dense);
    if (!map->dense) {
        map->n_dense = 0;
        return false;
    }
    memset(map->dense, 0xff, (size_t)map->n_dense * sizeof *map->dense);
    return true;
}

void ptir_ids_release(ptir_id_map *map)
{
    hash_release(map->allocator, &map->sparse);
    VECTOR_RELEASE(map->allocator, &map->ids);
}

uint32_t ptir_ids_find(const ptir_id_map *map, uint32_t id)
{
    if (id < map->n_dense)
        return map->dense[id];
    uint64_t h = hash_mix(1, id);
    for (uint32_t p = hash_first(&map->sparse, h), k;
         (k = hash_at(&map->sparse, h, &p)) != HASH_NONE;)
        if (map->ids.at[k] == id)
            return k;
    return NO_VALUE;
}

bool ptir_ids_add(ptir_id_map *map, uint32_t id)
{
    if (!VECTOR_PUSH(map->allocator, &map->ids, id))
        return false;
    if (id < map->n_dense) {
        map->dense[id] = map->ids.n - 1;
        return true;
    }
    return hash_add(map->allocator, &map->sparse, hash_mix(1, id), map->ids.n - 1);
}
