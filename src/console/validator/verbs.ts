import { addValidatorClientAdd } from './client-add.ts'
import { addValidatorClientList } from './client-list.ts'
import { addValidatorClientRevoke } from './client-revoke.ts'

export const verbs = [addValidatorClientAdd, addValidatorClientList, addValidatorClientRevoke]
