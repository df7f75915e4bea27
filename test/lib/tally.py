"""What becomes of many items, counted: for tests that may refuse some of them."""
import concurrent.futures
import os


def tally(items, check, name=str, enough=0):
    """The exit status of a test. CHECK(item) gives a word for what became of it, and what is wrong with that or None;
    at least ENOUGH must be "same". NAME(item) is what a failure is called."""
    items = list(items)
    counts, failed = {}, 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for item, (word, wrong) in zip(items, pool.map(check, items)):
            counts[word] = counts.get(word, 0) + 1
            if wrong:
                failed += 1
                print(f"FAILED {name(item)}: {word}\n{wrong}")
    print(", ".join(f"{n} {word}" for word, n in sorted(counts.items())))
    if counts.get("same", 0) < enough:
        print(f"at least {enough} should have been the same")
        failed += 1
    return 1 if failed else 0
