import type { Field, Template } from './template.ts'

const isSecret = ({ encrypted, type }: Field): boolean => encrypted && type !== 'file'

/**
 * Fields of a template that are secret there and open in another template, or the reverse. No seal covers which template
 * an object is of: an attacker who writes to the database could have the next value of a secret stored in the open.
 */
export function contradictionsOf(template: Template, others: readonly Template[]): string[] {
  return others.flatMap(({ id, name: title, fields }) =>
    fields.flatMap((other) => {
      const field = template.fields.find(({ name }) => name === other.name)
      if (field === undefined || isSecret(field) === isSecret(other)) return []
      return `The field ${other.name} is ${isSecret(other) ? 'secret' : 'open'} in the template ${id}, ${title}`
    }),
  )
}
