// Instances of the library in workers. Anything that can take long runs in one; the page itself never computes.
import worker from '#worker';

/** @typedef {{kind: string, message: string, help?: string | null, line?: number, column?: number, from?: number, to?: number, name?: string}} Fault */

/** A message of the library about what is wrong. */
export class Wrong extends Error {
  /** @param {Fault} fault */
  constructor(fault) {
    super(fault.message);
    this.fault = fault;
  }
}

/** Somebody has stopped the work. */
export class Stopped extends Error {}

/** Runs a script that lies beside the page. @param {string} file */
function scripted(file) {
  return new Promise((done, failed) => {
    const script = document.createElement('script');
    script.src = file;
    script.onload = done;
    script.onerror = () => failed(new Error(`${file} could not be loaded`));
    document.head.append(script);
  });
}

/** The library, compiled. The browser keeps what it has loaded. */
async function compile() {
  if (location.protocol !== 'file:') {
    const answer = fetch('stickslip.wasm');
    return WebAssembly.compileStreaming(answer).catch(async () => WebAssembly.compile(await (await fetch('stickslip.wasm')).arrayBuffer()));
  }
  // A page of the file system may not fetch: there it comes as a script.
  await scripted('stickslip.wasm.js');
  const text = atob(/** @type {any} */ (window).stickslipModule);
  return WebAssembly.compile(Uint8Array.from(text, (c) => c.charCodeAt(0)));
}

/** Loaded and compiled once, for all workers. @type {Promise<WebAssembly.Module> | null} */
let compiled = null;
/** The address of the worker. */
const address = URL.createObjectURL(new Blob([worker], { type: 'text/javascript' }));

/** One worker with its own instance. It starts when it is first asked, and anew after it was stopped. */
export class Engine {
  constructor() {
    /** @type {Worker | null} */
    this.worker = null;
    /** @type {Map<number, {done: (v: any) => void, failed: (e: Error) => void, progress?: (done: number, total: number) => void}>} */
    this.waiting = new Map();
    /** @type {Map<string, Blob>} */
    this.files = new Map();
    /** @type {Promise<any> | null} */
    this.ready = null;
    this.last = 0;
  }

  begin() {
    this.ready ??= (async () => {
      const worker = new Worker(address);
      this.worker = worker;
      worker.onmessage = ({ data }) => this.#answered(data);
      worker.onerror = (e) => this.stop(new Wrong({ kind: 'defect', message: `a worker has failed: ${e.message}` }));
      const begun = this.#send('begin', { module: await (compiled ??= compile()) });
      for (const [name, blob] of this.files) this.#send('file', { name, blob });
      await begun;
    })();
    return this.ready;
  }

  /** @param {any} data */
  #answered(data) {
    const waits = this.waiting.get(data.id);
    if (!waits) return;
    if (data.progress) return void waits.progress?.(data.progress[0], data.progress[1]);
    this.waiting.delete(data.id);
    if (!data.fault) return waits.done(data.value);
    // After a panic the instance is not to be trusted any more.
    if (data.fault.kind === 'defect') this.stop();
    waits.failed(new Wrong(data.fault));
  }

  /** @param {string} door @param {any} given @param {(done: number, total: number) => void} [progress] */
  #send(door, given, progress) {
    const id = ++this.last;
    return new Promise((done, failed) => {
      this.waiting.set(id, { done, failed, progress });
      this.worker?.postMessage({ ...given, id, door });
    });
  }

  /**
   * Asks the library.
   * @param {string} door
   * @param {any} [given]
   * @param {(done: number, total: number) => void} [progress]
   * @returns {Promise<any>}
   */
  async ask(door, given = {}, progress) {
    await this.begin();
    return this.#send(door, given, progress);
  }

  /** Lets the library read a file. @param {string} name @param {Blob} blob */
  offer(name, blob) {
    this.files.set(name, blob);
    if (this.worker) this.#send('file', { name, blob });
  }

  /** Stops whatever runs. @param {Error} [why] */
  stop(why = new Stopped()) {
    this.worker?.terminate();
    this.worker = null;
    this.ready = null;
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const w of waiting) w.failed(why);
  }
}

/** Solves what was asked for last: while one request runs, only the newest of the others is kept. */
export class Latest {
  /** @param {Engine} engine @param {number} patience after so long (ms) a newer request ends the one that runs */
  constructor(engine, patience) {
    this.engine = engine;
    this.patience = patience;
    /** @type {{given: any, done: (v: any) => void, failed: (e: any) => void} | null} */
    this.next = null;
    this.busy = false;
    this.since = 0;
  }

  /** @param {any} given @returns {Promise<any>} */
  motion(given) {
    this.next?.failed(new Stopped());
    return new Promise((done, failed) => {
      this.next = { given, done, failed };
      if (!this.busy) this.#run();
      else setTimeout(() => this.#hurry(), Math.max(0, this.patience - (performance.now() - this.since)));
    });
  }

  #hurry() {
    if (this.busy && this.next && performance.now() - this.since >= this.patience) this.engine.stop();
  }

  async #run() {
    while (this.next) {
      const { given, done, failed } = this.next;
      this.next = null;
      this.busy = true;
      this.since = performance.now();
      try {
        done(await this.engine.ask('motion', given));
      } catch (error) {
        failed(error);
      }
    }
    this.busy = false;
  }
}
