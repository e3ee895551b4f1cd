import { hash } from 'node:crypto'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Link } from './records.ts'

/** What the seal of a link covers: all but the words of its maker. `creator`: the identity of the maker. */
export function linkRecord(
  link: Omit<Link, 'id' | 'userId' | 'label' | 'ciphertext' | 'seal'>,
  creator: Buffer,
): Buffer {
  return composeRecord('one-time link', { ...link, creator })
}

export const digestOf = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')
