import { addDatabaseAcceptRestored } from './accept-restored.ts'

export const verbs = [addDatabaseAcceptRestored]
