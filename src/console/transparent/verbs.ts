import { addRewrapPlan } from './rewrap-plan.ts'

export const verbs = [addRewrapPlan]
