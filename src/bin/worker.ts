import { createAppliance } from '../daemon/appliance.ts'
import { freeForgottenHeaders } from '../daemon/forgotten-headers.ts'
import { compileEarly, growHeapFourfold } from '../daemon/v8-flags.ts'
import { runWorker } from '../daemon/worker-process.ts'

growHeapFourfold()
compileEarly()
freeForgottenHeaders()
runWorker(createAppliance)
