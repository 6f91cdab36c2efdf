// Where a picture lies in a pane.
//
// It is kept as the point of the picture in the middle of the pane, so that what is looked at stays there when
// the pane changes its size. A whole picture, or one as wide as the pane, goes on fitting.

const MOST = 8; // times its own size

const between = (least, value, most) => Math.min(Math.max(value, least), most);

export class Place {
  // `size` and `pane`: { width, height } in pixels; `view`: that of an earlier place.
  constructor(size, pane, view = {}) {
    Object.assign(this, { size, fit: "page", scale: 1, x: 0, y: 0 }, view);
    this.resize(pane);
  }

  get view() {
    const { fit, scale, x, y } = this;
    return { fit, scale, x, y };
  }

  // Where the picture's corner is, in pixels of the pane; whole ones, so that letters stay sharp.
  get left() {
    return Math.round(this.pane.width / 2 - this.x * this.scale);
  }

  get top() {
    return Math.round(this.pane.height / 2 - this.y * this.scale);
  }

  resize(pane) {
    this.pane = pane;
    if (this.fit === "page") this.scale = this._whole;
    if (this.fit === "width") this.scale = pane.width / this.size.width;
    this._hold();
  }

  // Fit the whole "page", or its "width" from its top.
  fitting(kind) {
    this.fit = kind;
    this.y = 0;
    this.resize(this.pane);
  }

  // Zoom to `scale`; what is `right` and `down` of the middle of the pane stays where it is.
  zoom(scale, right = 0, down = 0) {
    const next = between(Math.min(this._whole, 1), scale, Math.max(this._whole, MOST));
    this.x += right / this.scale - right / next;
    this.y += down / this.scale - down / next;
    this.scale = next;
    this.fit = null;
    this._hold();
  }

  // Move the picture by pixels of the pane.
  move(right, down) {
    this.x -= right / this.scale;
    this.y -= down / this.scale;
    this._hold();
  }

  get _whole() {
    return Math.min(this.pane.width / this.size.width, this.pane.height / this.size.height);
  }

  // No edge of the picture comes inside the pane; what is smaller than the pane stands in its middle.
  _hold() {
    const held = (at, length, room) =>
      room >= length ? length / 2 : between(room / 2, at, length - room / 2);
    this.x = held(this.x, this.size.width, this.pane.width / this.scale);
    this.y = held(this.y, this.size.height, this.pane.height / this.scale);
  }
}
