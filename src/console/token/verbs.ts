import { addTokenChangePin } from './change-pin.ts'
import { addTokenStatus } from './status.ts'

export const verbs = [addTokenStatus, addTokenChangePin]
