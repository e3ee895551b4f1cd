import type { Hsm } from '../../hsm/hsm.ts'

/** Operations of the token that lead nowhere, in place of those that a stranger spares it: the time must not tell who is one. */
export async function sparedWork(hsm: Pick<Hsm, 'pepper'>, operations: number): Promise<void> {
  await Promise.all(Array.from({ length: Math.max(0, operations) }, () => hsm.pepper(Buffer.alloc(8))))
}
