import { setFlagsFromString } from 'node:v8'

/**
 * Makes V8 compile a function after an eighth of the usual work. A process is then as fast after a thousand calls as it
 * would be after ten thousand, and rare operations, such as creating a key, are compiled at all. In bytes of bytecode;
 * V8's default is 67,584. Node 22 and 24 have a compiler in between (Maglev), and not this flag.
 */
export function compileEarly(): void {
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=8192')
}
