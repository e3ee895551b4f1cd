import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import type { Commit, Reader, Tx } from '../../store/store.ts'
import { builtInTemplates } from './built-in.ts'
import { contradictionsOf } from './contradictions.ts'
import { templateEntry } from './template-json.ts'
import {
  changeSiteTemplate,
  findSiteTemplate,
  insertSiteTemplate,
  isTemplateInUse,
  listTemplateSeals,
  templateSealRecord,
  type SiteTemplateRow,
} from './records.ts'
import { examineTemplate } from './template-document.ts'
import type { Field, Template } from './template.ts'

/** A template of the site. A removed one is kept for objects that still use it. */
export interface SiteTemplate extends Template {
  readonly isRemoved: boolean
}

export interface SiteTemplates {
  /**
   * All of them by id, including removed ones. Takes one query where nothing has changed since the last call.
   * @throws Fault `hsm.seal_broken` when one was edited in the database
   */
  all(reader: Reader): Promise<readonly SiteTemplate[]>
  /**
   * @throws Fault `template.exists`: an id is never used twice; `template.frozen` for a field that is secret in another
   * template and open in this one, or the reverse
   */
  add(template: Template, commit: Commit): Promise<void>
  /**
   * Replaces labels and appearance of a template, or adds fields.
   * @throws Fault `template.not_found`, `template.frozen` when stored values would not fit the new template
   */
  replace(template: Template, commit: Commit): Promise<void>
  /** @throws Fault `template.not_found`, `template.in_use` */
  remove(id: number, commit: Commit): Promise<void>
}

export interface SiteTemplateDependencies {
  readonly hsm: Pick<Hsm, 'seal' | 'verify'>
  readonly clock: Clock
}

export function createSiteTemplates({ hsm, clock }: SiteTemplateDependencies): SiteTemplates {
  /** Verified templates by seal. An edited document has another seal. */
  let known = new Map<string, SiteTemplate>()

  async function open(reader: Reader, id: number): Promise<SiteTemplate | undefined> {
    const row = await findSiteTemplate(reader, id)
    return row === null ? undefined : openRow(row)
  }

  async function openRow(row: SiteTemplateRow): Promise<SiteTemplate> {
    await hsm.verify(sealedTemplate(row))
    const examined = examineTemplate(JSON.parse(row.document))
    if ('problems' in examined)
      throw new TypeError(`template ${row.id} cannot be read: ${examined.problems.join('; ')}`)
    return { ...examined.template, isRemoved: row.removedAt !== null }
  }

  async function change(
    id: number,
    commit: Commit,
    next: (tx: Tx, current: Template, row: SiteTemplateRow) => Promise<Pick<SiteTemplateRow, 'document' | 'removedAt'>>,
  ): Promise<void> {
    await commit(async (tx) => {
      const row = await findSiteTemplate(tx, id)
      if (row === null || row.removedAt !== null)
        throw new Fault(
          'template.not_found',
          `There is no template ${id} of the site's own: see "strongroom template list".`,
        )
      const changed = await next(tx, await openRow(row), row)
      const seal = await hsm.seal(templateSealRecord({ id, ...changed }), { previous: sealedTemplate(row) })
      if (!(await changeSiteTemplate(tx, row, { ...changed, seal }))) throw new Fault('store.conflict')
    })
  }

  async function all(reader: Reader): Promise<SiteTemplate[]> {
    const rows = await listTemplateSeals(reader)
    const opened = await Promise.all(
      rows.map(async ({ id, seal }) => [seal, known.get(seal) ?? (await open(reader, id))] as const),
    )
    known = new Map(opened.flatMap(([seal, template]) => (template === undefined ? [] : [[seal, template]])))
    return [...known.values()]
  }

  return {
    all,

    add: (template, commit) =>
      commit(async (tx) => {
        const { id } = template
        if ((await findSiteTemplate(tx, id)) !== null)
          throw new Fault(
            'template.exists',
            `The id ${id} is taken, or was once: choose another, or replace the template.`,
          )
        checkOthers(template, await all(tx))
        const row = { id, document: documentOf(template), removedAt: null }
        await insertSiteTemplate(tx, { ...row, seal: await hsm.seal(templateSealRecord(row)), createdAt: clock.now() })
      }),

    replace: (template, commit) =>
      change(template.id, commit, async (tx, current) => {
        const misfit = misfitOf(current, template)
        if (misfit !== undefined) throw new Fault('template.frozen', misfit)
        checkOthers(furtherFields(template, current), await all(tx))
        return { document: documentOf(template), removedAt: null }
      }),

    remove: (id, commit) =>
      change(id, commit, async (tx, _current, { document }) => {
        if (await isTemplateInUse(tx, id))
          throw new Fault(
            'template.in_use',
            `Objects are made of the template ${id}: delete them first, or set "active" to false.`,
          )
        return { document, removedAt: clock.now() }
      }),
  }
}

const sealedTemplate = (row: SiteTemplateRow): SealedRecord => ({ record: templateSealRecord(row), seal: row.seal })

const documentOf = (template: Template): string => JSON.stringify(templateEntry(template))

/**
 * Why values of the present template would not fit the next one. Whether any exist does not matter: an object may be
 * created at this moment.
 */
function misfitOf(current: Template, next: Template): string | undefined {
  const [before, after] = [byName(current), byName(next)]
  for (const [name, field] of before) {
    const other = after.get(name)
    if (other === undefined) return `The field ${name} must stay: objects may have a value in it.`
    if (other.encrypted !== field.encrypted)
      return `Whether ${name} is encrypted cannot change: add another field for that.`
    if ((other.type === 'file') !== (field.type === 'file')) return `The field ${name} must keep its type.`
    if (!other.optional && field.optional) return `The field ${name} must stay optional: objects may lack it.`
  }
  for (const [name, field] of after)
    if (!before.has(name) && !field.optional) return `The new field ${name} must be optional (opt).`
  return undefined
}

/** Compares it with all others, also with removed ones. @throws Fault `template.frozen` */
function checkOthers(template: Template, ofSite: readonly Template[]): void {
  const others = [...builtInTemplates, ...ofSite].filter(({ id }) => id !== template.id)
  const [contradiction] = contradictionsOf(template, others)
  if (contradiction !== undefined) throw new Fault('template.frozen', `${contradiction}: give it another name.`)
}

/** Fields that it has already were compared before, or come from an earlier release. */
const furtherFields = (template: Template, current: Template): Template => {
  const before = byName(current)
  return { ...template, fields: template.fields.filter(({ name }) => !before.has(name)) }
}

const byName = ({ fields }: Template): Map<string, Field> => new Map(fields.map((field) => [field.name, field]))
