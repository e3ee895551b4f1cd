import { hash } from 'node:crypto'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Link } from './records.ts'

/** The record that the seal of a link covers: all columns but the label. `creator`: the identity of its creator. */
export function linkRecord(
  link: Omit<Link, 'id' | 'userId' | 'label' | 'ciphertext' | 'seal'>,
  creator: Buffer,
): Buffer {
  return composeRecord('one-time link', { ...link, creator })
}

export const digestOf = (bytes: Buffer): Buffer => hash('sha256', bytes, 'buffer')
