/* Moving and zooming. */
/* What a stage shows: place P of the drawing is at P * k + (x, y). */
class Camera {
  constructor(stage, redraw, options) {
    Object.assign(this, {stage, redraw, k: 1, kx: 1, x: 0, y: 0, onlyX: false, pick: null}, options);
    this.pending = false;
    this.pointers = new Map();
    stage.addEventListener('wheel', e => {
      e.preventDefault();
      const box = stage.getBoundingClientRect();
      this.zoom(Math.exp(-e.deltaY * 0.0016), e.clientX - box.left, e.clientY - box.top);
    }, {passive: false});
    stage.addEventListener('pointerdown', e => {
      this.pointers.set(e.pointerId, e);
      this.moved = 0;
    });
    stage.addEventListener('pointermove', e => this.move(e));
    stage.addEventListener('pointerup', e => {
      const box = stage.getBoundingClientRect(), was = this.pointers.delete(e.pointerId);
      if (was && this.moved < 5 && this.pick)
        this.pick((e.clientX - box.left - this.x) / this.k, this.onlyX ? e.clientY - box.top : (e.clientY - box.top - this.y) / this.k);
    });
    for (const end of ['pointercancel', 'pointerleave'])
      stage.addEventListener(end, e => this.pointers.delete(e.pointerId));
    new ResizeObserver(() => this.ask()).observe(stage);
  }
  move(e) {
    const before = this.pointers.get(e.pointerId);
    if (!before) return;
    const dx = e.clientX - before.clientX, dy = e.clientY - before.clientY;
    this.moved += Math.abs(dx) + Math.abs(dy);
    if (this.pointers.size === 2) {
      const other = [...this.pointers.values()].find(p => p.pointerId !== e.pointerId);
      const far = (a, b) => Math.hypot(a.clientX - b.clientX, a.clientY - b.clientY) || 1;
      const box = this.stage.getBoundingClientRect();
      this.zoom(far(e, other) / far(before, other), other.clientX - box.left, other.clientY - box.top);
    } else {
      this.x += dx;
      this.y += this.onlyX ? 0 : dy;
      if (this.scroll) this.scroll(-dy);
      this.ask();
    }
    this.pointers.set(e.pointerId, e);
  }
  zoom(by, x, y) {
    const k = Math.min(this.most || 6, Math.max(this.least || 0.005, this.k * by));
    this.x = x - (x - this.x) * k / this.k;
    this.y = y - (y - this.y) * k / this.k;
    this.k = k;
    this.ask();
  }
  fit(width, height) {
    const box = this.stage.getBoundingClientRect();
    if (!box.width || !box.height) return;
    this.k = Math.min(1, (box.width - 32) / (width || 1), (box.height - 32) / (height || 1));
    this.x = (box.width - width * this.k) / 2;
    this.y = Math.max(16, (box.height - height * this.k) / 2);
    this.ask();
  }
  center(x, y) {
    const box = this.stage.getBoundingClientRect();
    this.x = box.width / 2 - x * this.k;
    this.y = box.height / 2 - y * this.k;
    this.ask();
  }
  ask() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => { this.pending = false; this.redraw(this); });
  }
}
function canvasOf(stage) {
  const canvas = stage.querySelector('canvas'), box = stage.getBoundingClientRect(), dots = devicePixelRatio || 1;
  const width = Math.round(box.width * dots), height = Math.round(box.height * dots);
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
  const g = canvas.getContext('2d');
  g.setTransform(dots, 0, 0, dots, 0, 0);
  g.clearRect(0, 0, box.width, box.height);
  return [g, box.width, box.height];
}
