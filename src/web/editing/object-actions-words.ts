import { inBoth } from '../words/language.tsx'

/** The texts of the actions with a vault or an object. */
export const actionWords = inBoth(
  {
    newObject: 'New object',
    edit: 'Edit',
    move: 'Move',
    copyTo: 'Copy to…',
    remove: 'Delete',
    alarmOn: 'Turn on alarm',
    alarmOff: 'Turn off alarm',
    alarmIsOn: (name: string) => `Reading a secret of ${name} now raises an alarm.`,
    alarmIsOff: (name: string) => `Reading a secret of ${name} no longer raises an alarm.`,
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteText: 'You can restore it from the trash of the vault until it is destroyed.',
    deleteBelow: (count: number) =>
      count === 1 ? 'The object in it is deleted too:' : `The ${count} objects in it are deleted too:`,
    andMore: (count: number) => `and ${count} more`,
    deleteAll: (count: number) => `Delete all ${count}`,
    deleted: (name: string) => `${name} deleted.`,
    dropHere: (name: string) => `Drop to add to ${name}`,
  },
  {
    newObject: 'Nytt objekt',
    edit: 'Redigera',
    move: 'Flytta',
    copyTo: 'Kopiera till …',
    remove: 'Radera',
    alarmOn: 'Slå på larm',
    alarmOff: 'Stäng av larm',
    alarmIsOn: (name: string) => `Läsning av en hemlighet i ${name} utlöser nu ett larm.`,
    alarmIsOff: (name: string) => `Läsning av en hemlighet i ${name} utlöser inte längre något larm.`,
    deleteTitle: (name: string) => `Radera ${name}?`,
    deleteText: 'Du kan återställa det från valvets papperskorg tills det förstörs.',
    deleteBelow: (count: number) =>
      count === 1 ? 'Objektet i det raderas också:' : `De ${count} objekten i det raderas också:`,
    andMore: (count: number) => `och ${count} till`,
    deleteAll: (count: number) => `Radera alla ${count}`,
    deleted: (name: string) => `${name} har raderats.`,
    dropHere: (name: string) => `Släpp för att lägga till i ${name}`,
  },
)
