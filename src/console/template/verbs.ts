import { addTemplateAdd } from './add.ts'
import { addTemplateCheck } from './check.ts'
import { addTemplateList } from './list.ts'
import { addTemplateRemove } from './remove.ts'

export const verbs = [addTemplateList, addTemplateCheck, addTemplateAdd, addTemplateRemove]
