import { createAppliance } from '../daemon/appliance.ts'
import { runWorker } from '../daemon/worker-process.ts'

runWorker(createAppliance)
