import { inBoth } from '../words/spoken.tsx'

const english = (count: number, one: string, more: string): string =>
  `${count.toLocaleString('en')} ${count === 1 ? one : more}`

/** Of what is done with several objects at once. */
export const chosenWords = inBoth(
  {
    chosen: (count: number) => `${count.toLocaleString('en')} selected`,
    chosenObjects: 'Selected objects',
    clear: 'Clear the selection',
    delete: 'Delete',
    deleteTitle: (count: number) => `Delete ${english(count, 'object', 'objects')}?`,
    deleteText: 'It cannot be taken back.',
    withBelow: (count: number) =>
      `${english(count, 'object lies', 'objects lie')} in folders among them, and ${count === 1 ? 'goes' : 'go'} with them.`,
    andMore: (count: number) => `and ${count.toLocaleString('en')} more`,
    progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    deleted: (count: number) => `${english(count, 'object is', 'objects are')} deleted.`,
  },
  {
    chosen: (count) => `${count.toLocaleString('sv')} valda`,
    chosenObjects: 'Valda objekt',
    clear: 'Rensa urvalet',
    delete: 'Radera',
    deleteTitle: (count) => `Radera ${count.toLocaleString('sv')} objekt?`,
    deleteText: 'Det kan inte ångras.',
    withBelow: (count) => `${count.toLocaleString('sv')} objekt ligger i mappar bland dem och följer med.`,
    andMore: (count) => `och ${count.toLocaleString('sv')} till`,
    progress: (done, all) => `${done.toLocaleString('sv')} av ${all.toLocaleString('sv')}`,
    deleted: (count) => `${count.toLocaleString('sv')} objekt är raderade.`,
  },
)
