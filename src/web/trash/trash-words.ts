import { inBoth } from '../words/spoken.tsx'

/** The texts for deleted objects. */
export const trashWords = inBoth(
  {
    title: (vault: string) => `Trash of ${vault}`,
    kind: 'Trash',
    help: 'What was deleted together comes back together, to where it was, or to the top of the vault where that is gone.',
    newest: (count: number) =>
      `These are the newest ${count.toLocaleString('en')}: what was deleted before is listed when some of them are taken back.`,
    nothing: 'Nothing is in the trash.',
    deletedBy: (name: string) => `Deleted by ${name}`,
    destroyed: 'destroyed after',
    with: (count: number) =>
      count === 2 ? 'with 1 other object' : `with ${(count - 1).toLocaleString('en')} other objects`,
    takeBack: 'Take back',
    takeBackOf: (name: string) => `Take back ${name}`,
    takenBack: (name: string) => `${name} is back.`,
  },
  {
    title: (vault) => `Papperskorgen i ${vault}`,
    kind: 'Papperskorg',
    help: 'Det som raderades tillsammans kommer tillbaka tillsammans, dit där det låg, eller överst i valvet om det inte finns kvar.',
    newest: (count) =>
      `De här är de ${count.toLocaleString('sv')} senaste: det som raderades tidigare visas när några av dem har tagits tillbaka.`,
    nothing: 'Papperskorgen är tom.',
    deletedBy: (name) => `Raderat av ${name}`,
    destroyed: 'förstörs efter',
    with: (count) => `med ${(count - 1).toLocaleString('sv')} andra objekt`,
    takeBack: 'Ta tillbaka',
    takeBackOf: (name) => `Ta tillbaka ${name}`,
    takenBack: (name) => `${name} är tillbaka.`,
  },
)
