import { addRootKeysList } from './list.ts'
import { addRootKeysRotate } from './rotate.ts'

export const verbs = [addRootKeysList, addRootKeysRotate]
