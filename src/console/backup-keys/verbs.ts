import { addBackupKeysAdopt } from './adopt.ts'
import { addBackupKeysInvite } from './invite.ts'
import { addBackupKeysShare } from './share.ts'

export const verbs = [addBackupKeysInvite, addBackupKeysShare, addBackupKeysAdopt]
