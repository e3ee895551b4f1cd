import { Fault } from '../../fault.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Templates } from '../templates/templates.ts'
import { adoptChild, findObject } from './records.ts'

/** The templates as a transaction sees them. */
export type TemplatesIn = (reader: Reader) => Pick<Templates, 'among'>

/**
 * Counts one more object in a parent, which is of this vault and takes others; 0 for the root of the vault. Of a new
 * object below a parent and the parent's deletion, the database decides which comes first.
 * @throws Fault `object.parent_unknown`, `object.invalid`
 */
export async function adopt(templatesIn: TemplatesIn, tx: Tx, parentId: number, vaultId: number): Promise<void> {
  if (parentId === 0) return
  if (!(await adoptChild(tx, parentId, vaultId))) throw new Fault('object.parent_unknown')
  const parent = await findObject(tx, parentId)
  const [template] = await templatesIn(tx).among(parent ? [parent.templateId] : [])
  if (template?.editedDirectly === true)
    throw new Fault('object.invalid', `Nothing can be put into an object of the template ${template.name}.`)
}
