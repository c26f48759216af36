// What the model was before: texts that can be had back, and forth again.

/** More texts than anybody goes back. */
const MOST = 200;

export class History {
  constructor() {
    /** @type {string[]} */
    this.texts = [];
    this.at = -1;
  }

  /** A change has come to rest. What was taken back before it is given up. @param {string} text */
  keep(text) {
    if (this.texts[this.at] === text) return;
    this.texts.splice(this.at + 1, Infinity, text);
    if (this.texts.length > MOST) this.texts.shift();
    this.at = this.texts.length - 1;
  }

  /** The text that many changes away, if there is one. @param {number} by @returns {string | null} */
  step(by) {
    if (!this.has(by)) return null;
    this.at += by;
    return this.texts[this.at];
  }

  /** @param {number} by */
  has(by) {
    return this.texts[this.at + by] !== undefined;
  }
}
