import { addBackupCreate } from './create.ts'
import { addBackupIdentity } from './identity.ts'
import { addBackupRestore } from './restore.ts'
import { addBackupRun } from './run.ts'
import { addBackupVerify } from './verify.ts'

export const verbs = [addBackupIdentity, addBackupCreate, addBackupVerify, addBackupRestore, addBackupRun]
