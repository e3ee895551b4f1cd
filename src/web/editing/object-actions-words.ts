import { inBoth } from '../words/spoken.tsx'

/** The texts of the actions with a vault or an object. */
export const actionWords = inBoth(
  {
    newObject: 'New object',
    edit: 'Edit',
    move: 'Move',
    copyTo: 'Copy to …',
    remove: 'Delete',
    alarmOn: 'Set the alarm',
    alarmOff: 'Clear the alarm',
    alarmIsOn: (name: string) => `From now on, reading a secret of ${name} raises an alarm.`,
    alarmIsOff: (name: string) => `Reading a secret of ${name} raises no alarm any more.`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'Until it is destroyed, it can be taken back from the trash of the vault.',
    deleteBelow: (count: number) =>
      count === 1 ? 'What lies in it is deleted with it:' : `The ${count} objects that lie in it are deleted with it:`,
    andMore: (count: number) => `and ${count} more`,
    deleteAll: (count: number) => `Delete all ${count}`,
    deleted: (name: string) => `${name} is deleted.`,
    dropHere: (name: string) => `Drop to add to ${name}`,
  },
  {
    newObject: 'Nytt objekt',
    edit: 'Redigera',
    move: 'Flytta',
    copyTo: 'Kopiera till …',
    remove: 'Radera',
    alarmOn: 'Sätt på larmet',
    alarmOff: 'Stäng av larmet',
    alarmIsOn: (name: string) => `Från och med nu larmar det när en hemlighet i ${name} läses.`,
    alarmIsOff: (name: string) => `Det larmar inte längre när en hemlighet i ${name} läses.`,
    deleteTitle: (name: string) => `Radera ${name}?`,
    deleteText: 'Innan det förstörs kan det tas tillbaka från valvets papperskorg.',
    deleteBelow: (count: number) =>
      count === 1 ? 'Det som ligger i det raderas med det:' : `De ${count} objekt som ligger i det raderas med det:`,
    andMore: (count: number) => `och ${count} till`,
    deleteAll: (count: number) => `Radera alla ${count}`,
    deleted: (name: string) => `${name} är raderat.`,
    dropHere: (name: string) => `Släpp för att lägga i ${name}`,
  },
)
