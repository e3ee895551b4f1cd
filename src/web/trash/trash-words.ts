import { counted } from '../words/counted.ts'
import { inBoth } from '../words/language.tsx'

/** The texts for deleted objects. */
export const trashWords = inBoth(
  {
    title: (vault: string) => `Trash of ${vault}`,
    kind: 'Trash',
    help: 'Objects that were deleted together are restored together, to where they were, or to the top level of the vault if that place no longer exists.',
    newest: (count: number) =>
      `These are the ${count.toLocaleString('en')} most recent. Objects deleted earlier are listed when you restore some of these.`,
    nothing: 'The trash is empty.',
    deletedBy: (name: string) => `Deleted by ${name}`,
    destroyed: 'destroyed after',
    with: (count: number) =>
      count === 2 ? 'with 1 other object' : `with ${(count - 1).toLocaleString('en')} other objects`,
    takeBack: 'Restore',
    takeBackOf: (name: string) => `Restore ${name}`,
    takenBack: (name: string) => `${name} restored.`,
  },
  {
    title: (vault) => `Papperskorgen i ${vault}`,
    kind: 'Papperskorg',
    help: 'Objekt som raderades tillsammans återställs tillsammans, dit där de låg, eller överst i valvet om den platsen inte finns kvar.',
    newest: (count) =>
      `Det här är de ${count.toLocaleString('sv')} senaste. Objekt som raderades tidigare visas när du återställer några av dem.`,
    nothing: 'Papperskorgen är tom.',
    deletedBy: (name) => `Raderat av ${name}`,
    destroyed: 'förstörs efter',
    with: (count) => `med ${counted('sv', count - 1, 'annat objekt', 'andra objekt')}`,
    takeBack: 'Återställ',
    takeBackOf: (name) => `Återställ ${name}`,
    takenBack: (name) => `${name} har återställts.`,
  },
)
