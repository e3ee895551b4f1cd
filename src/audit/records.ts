import { EntitySchema } from 'typeorm'
import { integer, primary, text } from '../store/columns.ts'

/** The last sealed point of a chain, as the other chains witness it. */
export interface AuditHead {
  readonly chain: string
  readonly seq: number
  readonly hash: string
  /** The seal itself, with its signature. */
  readonly line: string
}

export const AuditHeadTable = new EntitySchema<AuditHead>({
  name: 'AuditHead',
  tableName: 'audit_heads',
  columns: { chain: primary(text), seq: integer, hash: text, line: text },
})
