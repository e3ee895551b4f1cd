import { addMigrateStore } from './store.ts'
import { addMigrateToken } from './token.ts'

export const verbs = [addMigrateStore, addMigrateToken]
