import { createAppliance } from '../daemon/appliance.ts'
import { growHeapFourfold } from '../daemon/heap-growth.ts'
import { runWorker } from '../daemon/worker-process.ts'

growHeapFourfold()
runWorker(createAppliance)
