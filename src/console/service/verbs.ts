import { addServiceDisable, addServiceEnable } from './active.ts'
import { addServiceCreate } from './create.ts'
import { addServiceCredentialAdd } from './credential-add.ts'
import { addServiceCredentialRemove } from './credential-remove.ts'
import { addServiceEdit } from './edit.ts'
import { addServiceList } from './list.ts'
import { addServiceRemove } from './remove.ts'
import { addServiceShow } from './show.ts'

export const verbs = [
  addServiceCreate,
  addServiceList,
  addServiceShow,
  addServiceEdit,
  addServiceDisable,
  addServiceEnable,
  addServiceRemove,
  addServiceCredentialAdd,
  addServiceCredentialRemove,
]
