import { addAuditArchive } from './archive.ts'
import { addAuditExport } from './export.ts'
import { addAuditFollow } from './follow.ts'
import { addAuditShow } from './show.ts'
import { addAuditVerify } from './verify.ts'

export const verbs = [addAuditArchive, addAuditShow, addAuditFollow, addAuditExport, addAuditVerify]
