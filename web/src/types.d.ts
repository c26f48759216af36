declare module '#worker' {
  const text: string;
  export default text;
}
declare module '#examples' {
  export const examples: { name: string; title: string; about: string; text: string; group: string; view?: string }[];
}
declare module '#wasm' {
  export default function init(given: { module_or_path: WebAssembly.Module }): Promise<any>;
  export class Motion {
    private constructor();
    static new(text: string, scheme?: string | null, step?: number | null): Motion;
    about(): string;
    times(count: number): Float64Array;
    table(): Float64Array;
    at(times: Float64Array): Float64Array;
    free(): void;
  }
  export class Results {
    about(): string;
    text(): string;
    numbers(table: string, column: string): Float64Array | undefined;
    rows(table: string, most: number): string | undefined;
    csv(table: string): Uint8Array | undefined;
    figure(name: string): string | undefined;
    page(name: string): string | undefined;
    document(name: string): string | undefined;
    free(): void;
  }
  export function study(command: string, text: string, options: string): Results;
  export function merge(files: string): Results;
  export function numbers(text: string): string;
  export function sketch(name: string, head: Uint8Array): string;
  export function fit_file(draft: string): string;
  export function model_templates(): string;
  export function version(): string;
}
declare class FileReaderSync {
  readAsArrayBuffer(blob: Blob): ArrayBuffer;
}
