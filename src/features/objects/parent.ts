import { Fault } from '../../fault.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { Templates } from '../templates/templates.ts'
import { adoptChild, findObject } from './records.ts'

/** Reads templates within a transaction. */
export type TemplatesIn = (reader: Reader) => Pick<Templates, 'among'>

/**
 * Counts one more child of a parent, which must be in this vault and accept children; 0 is the root of the vault. Where
 * the parent is deleted in parallel, the database decides which comes first.
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
