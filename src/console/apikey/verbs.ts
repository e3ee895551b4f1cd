import { addApplicationKeyCreate } from './create.ts'
import { addApplicationKeyList } from './list.ts'
import { addApplicationKeyRevoke } from './revoke.ts'
import { addApplicationKeyShapes } from './shapes.ts'

export const verbs = [addApplicationKeyCreate, addApplicationKeyList, addApplicationKeyShapes, addApplicationKeyRevoke]
