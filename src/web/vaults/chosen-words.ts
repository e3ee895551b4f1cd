import { counted } from '../words/counted.ts'
import { inBoth } from '../words/spoken.tsx'

/** The texts of actions with several objects. */
export const chosenWords = inBoth(
  {
    chosen: (count: number) => `${count.toLocaleString('en')} selected`,
    chosenObjects: 'Selected objects',
    clear: 'Clear the selection',
    delete: 'Delete',
    deleteTitle: (count: number) => `Delete ${counted('en', count, 'object', 'objects')}?`,
    deleteText: 'Until it is destroyed, it can be taken back from the trash of the vault.',
    withBelow: (count: number) =>
      `${counted('en', count, 'object lies', 'objects lie')} in folders among them, and ${count === 1 ? 'goes' : 'go'} with them.`,
    andMore: (count: number) => `and ${count.toLocaleString('en')} more`,
    progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    move: 'Move',
    moveTitle: (count: number) => `Move ${counted('en', count, 'object', 'objects')}`,
    intoVault: 'Into the vault',
    intoFolder: 'Into the folder',
    topOfVault: 'None: the top of the vault',
    noFolder: 'There is no other folder in this vault.',
    movedAnew:
      'They are encrypted again, by the key of the other vault. Each secret is recorded as read, and raises its alarm, and the members of that vault see them from then on.',
    moved: (count: number) => `${counted('en', count, 'object is', 'objects are')} moved.`,
    copyTo: 'Copy to …',
    copy: 'Copy',
    copyTitle: (count: number) => `Copy ${counted('en', count, 'object', 'objects')}`,
    copiedAnew:
      'All that lies in them is copied with them, and encrypted again. Each secret is recorded as read, and raises its alarm.',
    copiedElsewhere: 'The members of that vault see the copies from then on.',
    copied: (count: number) => `${counted('en', count, 'object is', 'objects are')} copied.`,
    deleted: (count: number) => `${counted('en', count, 'object is', 'objects are')} deleted.`,
  },
  {
    chosen: (count) => `${count.toLocaleString('sv')} valda`,
    chosenObjects: 'Valda objekt',
    clear: 'Rensa urvalet',
    delete: 'Radera',
    deleteTitle: (count) => `Radera ${count.toLocaleString('sv')} objekt?`,
    deleteText: 'Innan det förstörs kan det tas tillbaka från valvets papperskorg.',
    withBelow: (count) => `${count.toLocaleString('sv')} objekt ligger i mappar bland dem och följer med.`,
    andMore: (count) => `och ${count.toLocaleString('sv')} till`,
    progress: (done, all) => `${done.toLocaleString('sv')} av ${all.toLocaleString('sv')}`,
    move: 'Flytta',
    moveTitle: (count) => `Flytta ${count.toLocaleString('sv')} objekt`,
    intoVault: 'Till valvet',
    intoFolder: 'Till mappen',
    topOfVault: 'Ingen: överst i valvet',
    noFolder: 'Det finns ingen annan mapp i det här valvet.',
    movedAnew:
      'De krypteras på nytt för det andra valvet. Varje hemlighet antecknas som läst och larmar om den ska, och medlemmarna i det valvet ser dem från och med då.',
    moved: (count) => `${count.toLocaleString('sv')} objekt är flyttade.`,
    copyTo: 'Kopiera till …',
    copy: 'Kopiera',
    copyTitle: (count) => `Kopiera ${count.toLocaleString('sv')} objekt`,
    copiedAnew:
      'Allt som ligger i dem kopieras med dem och krypteras på nytt. Varje hemlighet antecknas som läst och larmar om den ska.',
    copiedElsewhere: 'Medlemmarna i det valvet ser kopiorna från och med då.',
    copied: (count) => `${count.toLocaleString('sv')} objekt är kopierade.`,
    deleted: (count) => `${count.toLocaleString('sv')} objekt är raderade.`,
  },
)
