import { addSessionEnd } from './end.ts'
import { addSessionList } from './list.ts'

export const verbs = [addSessionList, addSessionEnd]
