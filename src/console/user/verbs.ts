import { addUserAdd } from './add.ts'
import { addUserDisable } from './disable.ts'
import { addUserEdit } from './edit.ts'
import { addUserEnable } from './enable.ts'
import { addUserList } from './list.ts'
import { addUserPassphrase } from './passphrase.ts'

export const verbs = [addUserAdd, addUserList, addUserEdit, addUserDisable, addUserPassphrase, addUserEnable]
