import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 compile a function after an eighth of the usual work. A process is then as fast after a thousand calls as it
 * would be after ten thousand, and rare operations, such as creating a key, are compiled at all. In bytes of bytecode;
 * V8's default is 67,584. Node 22 and 24 have a compiler in between (Maglev), and not this flag.
 */
export function compileEarly(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=8192')
}

/**
 * Lets the heap of this process grow to four times its live size before V8 marks all of it. This is V8's own maximum,
 * which it does not use for heaps as small as ours. New buffers count towards the limit, so that V8 marked the whole
 * heap repeatedly within one file: without this flag an upload costs 1.6 times as much, and a download more than twice
 * as much (Node 20, `bench:files`), while the greatest memory of a worker is the same. Node 22 and 24 know the flag
 * too; a V8 without it would print a warning and continue.
 */
export function growHeapFourfold(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
