import { addVaultAcceptBackup } from './accept-backup.ts'
import { addVaultAdopt } from './adopt.ts'
import { addVaultConfirm } from './confirm.ts'
import { addVaultList } from './list.ts'
import { addVaultMembers } from './members.ts'

export const verbs = [addVaultList, addVaultMembers, addVaultAdopt, addVaultConfirm, addVaultAcceptBackup]
