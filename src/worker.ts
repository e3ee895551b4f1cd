import { createAppliance } from './appliance.ts'
import { runWorker } from './worker-process.ts'

runWorker(createAppliance)
