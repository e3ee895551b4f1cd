import { setFlagsFromString } from 'node:v8'

/**
 * Lets the heap of this process grow to four times what lives in it before V8 marks all of it: the most that V8 grants
 * by itself, but not to a heap as small as ours. New buffers count towards that limit, so that V8 marked the whole heap
 * again and again within one file: without this a file costs 1.6 times as much on its way up, and more than twice as
 * much on its way down (Node 20, `bench:files`), while its worker needs as much memory at most with it as without. Node
 * 22 and 24 know the flag too; a V8 that did not would say so on stderr and go on.
 */
export function growHeapFourfold(): void {
  setFlagsFromString('--heap-growing-percent=300')
}
