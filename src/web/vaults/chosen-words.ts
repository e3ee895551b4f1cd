import { counted } from '../words/counted.ts'
import { inBoth } from '../words/language.tsx'

/** The texts of actions with several objects. */
export const chosenWords = inBoth(
  {
    chosen: (count: number) => `${count.toLocaleString('en')} selected`,
    chosenObjects: 'Selected objects',
    clear: 'Clear selection',
    delete: 'Delete',
    deleteTitle: (count: number) => `Delete ${counted('en', count, 'object', 'objects')}?`,
    deleteText: 'You can restore deleted objects from the trash of the vault until they are destroyed.',
    withBelow: (count: number) =>
      `${counted('en', count, 'object', 'objects')} in the selected folders ${count === 1 ? 'is' : 'are'} deleted too.`,
    andMore: (count: number) => `and ${count.toLocaleString('en')} more`,
    progress: (done: number, all: number) => `${done.toLocaleString('en')} of ${all.toLocaleString('en')}`,
    move: 'Move',
    moveTitle: (count: number) => `Move ${counted('en', count, 'object', 'objects')}`,
    intoVault: 'Destination vault',
    intoFolder: 'Destination folder',
    topOfVault: 'None (top level of the vault)',
    noFolder: 'There are no other folders in this vault.',
    movedAnew:
      'Moved objects are encrypted again with the key of the other vault, and the members of that vault can see them from then on. Each secret is recorded as read and raises its alarm.',
    moved: (count: number) => `${counted('en', count, 'object', 'objects')} moved.`,
    copyTo: 'Copy to…',
    copy: 'Copy',
    copyTitle: (count: number) => `Copy ${counted('en', count, 'object', 'objects')}`,
    copiedAnew:
      'Everything in the copied objects is copied too, and encrypted again. Each secret is recorded as read and raises its alarm.',
    copiedElsewhere: 'The members of that vault can see the copies from then on.',
    copied: (count: number) => `${counted('en', count, 'object', 'objects')} copied.`,
    deleted: (count: number) => `${counted('en', count, 'object', 'objects')} deleted.`,
  },
  {
    chosen: (count) => counted('sv', count, 'valt', 'valda'),
    chosenObjects: 'Valda objekt',
    clear: 'Rensa urvalet',
    delete: 'Radera',
    deleteTitle: (count) => `Radera ${count.toLocaleString('sv')} objekt?`,
    deleteText: 'Du kan återställa raderade objekt från valvets papperskorg tills de förstörs.',
    withBelow: (count) => `${count.toLocaleString('sv')} objekt i de valda mapparna raderas också.`,
    andMore: (count) => `och ${count.toLocaleString('sv')} till`,
    progress: (done, all) => `${done.toLocaleString('sv')} av ${all.toLocaleString('sv')}`,
    move: 'Flytta',
    moveTitle: (count) => `Flytta ${count.toLocaleString('sv')} objekt`,
    intoVault: 'Målvalv',
    intoFolder: 'Målmapp',
    topOfVault: 'Ingen (överst i valvet)',
    noFolder: 'Det finns inga andra mappar i valvet.',
    movedAnew:
      'Flyttade objekt krypteras på nytt med det andra valvets nyckel, och medlemmarna i det valvet kan se dem från och med då. Varje hemlighet registreras som läst och utlöser sitt larm.',
    moved: (count) => `${count.toLocaleString('sv')} objekt har flyttats.`,
    copyTo: 'Kopiera till …',
    copy: 'Kopiera',
    copyTitle: (count) => `Kopiera ${count.toLocaleString('sv')} objekt`,
    copiedAnew:
      'Allt i de kopierade objekten kopieras också och krypteras på nytt. Varje hemlighet registreras som läst och utlöser sitt larm.',
    copiedElsewhere: 'Medlemmarna i det valvet kan se kopiorna från och med då.',
    copied: (count) => `${count.toLocaleString('sv')} objekt har kopierats.`,
    deleted: (count) => `${count.toLocaleString('sv')} objekt har raderats.`,
  },
)
