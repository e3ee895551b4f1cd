import { addUserCertificateAdd } from './add.ts'
import { addUserCertificateRemove } from './remove.ts'
import { addUserCertificateShow } from './show.ts'

export const verbs = [addUserCertificateAdd, addUserCertificateRemove, addUserCertificateShow]
