import { addOtpAssign } from './assign.ts'
import { addOtpEnroll } from './enroll.ts'
import { addOtpImport } from './import.ts'
import { addOtpList } from './list.ts'
import { addOtpRemove } from './remove.ts'
import { addOtpResync } from './resync.ts'

export const verbs = [addOtpEnroll, addOtpImport, addOtpAssign, addOtpList, addOtpRemove, addOtpResync]
