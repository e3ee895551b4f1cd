import type { NewKeyBody } from '../interface/calls.ts'
import { usualTypes } from './type-names.ts'

/** The properties of a new key, as the person types them. */
export interface NewKeyDraft {
  readonly name: string
  readonly type: string
  readonly info: string
  readonly residency: 'database' | 'token'
  readonly mayExport: boolean
  readonly mayExportOpen: boolean
  readonly mayBackUp: boolean
  readonly mayDelete: boolean
  /** Days between rotations; empty for no rotation. */
  readonly rotateAfter: string
}

export const emptyDraft: NewKeyDraft = {
  name: '',
  type: usualTypes.encryption,
  info: '',
  residency: 'database',
  mayExport: false,
  mayExportOpen: false,
  mayBackUp: true,
  mayDelete: true,
  rotateAfter: '',
}

const secondsPerDay = 86_400

/** Text that is not a number is sent unchanged, so that the appliance explains the error. */
export function secondsOfDays(text: string): number | string {
  const days = Number(text.trim().replace(',', '.'))
  return Number.isNaN(days) ? text : Math.round(days * secondsPerDay)
}

export const daysOfSeconds = (seconds: string): string =>
  seconds === '0' ? '' : String(Number((Number(seconds) / secondsPerDay).toFixed(2)))

export function newKeyBody(draft: NewKeyDraft): NewKeyBody {
  const leavesToken = draft.residency === 'database'
  return {
    type: draft.type,
    info: draft.info,
    residency: draft.residency,
    allow_export: leavesToken && draft.mayExport,
    allow_plaintext_export: leavesToken && draft.mayExport && draft.mayExportOpen,
    allow_backup: leavesToken && draft.mayBackUp,
    allow_delete: draft.mayDelete,
    auto_rotate_period: secondsOfDays(draft.rotateAfter),
  }
}
