#!/usr/bin/env -S node --initial-old-space-size=128
// The command line, bin `weir`: every verb is a file in commands/, named once here.

import { exit as exitProcess } from 'node:process'

import { readArguments } from '../os/process.ts'
import { addBench } from './commands/bench.ts'
import { addCluster } from './commands/cluster.ts'
import { addConfig } from './commands/config.ts'
import { addConsume } from './commands/consume.ts'
import { addDrill } from './commands/drill.ts'
import { addLog } from './commands/log.ts'
import { addNodePrograms } from './commands/node-program.ts'
import { addNode } from './commands/node.ts'
import { addPartition } from './commands/partition.ts'
import { addProduce } from './commands/produce.ts'
import { addQuorum } from './commands/quorum.ts'
import { addTopic } from './commands/topic.ts'
import { addUp } from './commands/up.ts'
import { runCli, type AddVerb } from './program.ts'
import { Shell } from './shell.ts'
import { surroundings } from './surroundings.ts'

const VERBS: readonly AddVerb[] = [
  addUp, addNodePrograms, addTopic, addProduce, addConsume, addCluster, addNode, addQuorum, addPartition, addLog,
  addConfig, addDrill, addBench
]

const code = await runCli(VERBS, readArguments(), new Shell(surroundings()))
// A node goes on after its verb; every other verb ends here, whatever it left open.
if (code !== undefined) exitProcess(code)
