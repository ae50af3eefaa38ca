// Entry point of a broker process: `node --initial-old-space-size=128 dist/broker/main.js --config FILE`.
// What the flag is for: src/node/flags.ts.

import { configFileOf, runNode } from '../src/node/run.ts'
import { readArguments } from '../src/os/process.ts'
import { brokerProgram } from './program.ts'

await runNode(brokerProgram, configFileOf(readArguments(), 'broker'))
