import { availableParallelism } from 'node:os'
import { type Command, Option } from 'commander'
import { run, wholeNumber } from '../../src/cli/terminal/command'

const list = (text: string): string[] => (text === 'none' ? [] : text.split(','))

/** Adds the commands that test and measure Switchyard. */
export function developmentCommands(program: Command): void {
  program
    .command('test')
    .description('run every test, or only those in the given paths')
    .argument('[paths...]', 'files or folders of tests, such as test/cli')
    .option('--changed [since]', 'run only tests affected by changes since the last commit, or since the named one')
    .option('--checks', 'run only the type checker and the linter')
    .option('--rules', 'run the rules of money, routing, signer, detection and machines, without servers')
    .option('--nightly', 'run every test in its larger form, with none left out')
    .option(
      '--parallel <count>',
      'how many processes run test files (default: two per processor, at most 4)',
      wholeNumber(1, 32),
      Math.min(availableParallelism() * 2, 4),
    )
    .option('--update-timings', 'store the duration of each file, which starts the longest first')
    .action(run(async (paths: string[], options) => (await import('./test')).test(paths, options)))

  program
    .command('bench')
    .description('run the measurements of bench/')
    .argument('[names...]', 'the measurements to run (default: all)')
    .option('--against <commit>', 'measure a checkout of this commit too, in turn, and compare the medians')
    .option('--rounds <count>', 'how often each is measured for --against', wholeNumber(1, 20), 3)
    .action(run(async (names: string[], options) => (await import('./bench')).bench(names, options)))

  program
    .command('simulate')
    .description('route deposits through simulated worlds in which everything fails, and check every rule about money')
    .addOption(
      new Option('--deposits <count>', 'how many deposits to simulate, about twenty in each world')
        .default(2_000)
        .argParser(wholeNumber(1, 1e9)),
    )
    .addOption(
      new Option('--seed <number>', 'the first world; each further one has the next seed')
        .default(1)
        .argParser(wholeNumber(1, 1e9)),
    )
    .option('--trace', 'print the story of the one world with this seed')
    .option('--bug <name>', 'plant a bug; a wrong name prints the list')
    .option('--only <numbers>', 'the deposits of the one world with this seed', (text) => list(text).map(Number))
    .option('--with <troubles>', 'what goes wrong, or "none"; a wrong name prints the list', list)
    .action(run(async (options) => (await import('./simulate')).simulate(options)))

  program
    .command('fuzz')
    .description('search for bugs in the API and the contracts longer than the tests do')
    .addOption(
      new Option('--requests <count>', 'how many requests to send to the API')
        .default(200_000)
        .argParser(wholeNumber(1, 1e9)),
    )
    .addOption(
      new Option('--runs <count>', 'how many inputs to try for each property of the contracts')
        .default(20_000)
        .argParser(wholeNumber(1, 1e8)),
    )
    .action(run(async (options) => (await import('./fuzz')).fuzz(options)))

  program
    .command('chaos')
    .description('kill a worker or NATS each second while deposits are routed, then suspend a worker for a minute')
    .addOption(
      new Option('--deposits <count>', 'how many deposits to send').default(2_000).argParser(wholeNumber(10, 100_000)),
    )
    .addOption(
      new Option('--seconds <count>', 'how long the worker is suspended').default(61).argParser(wholeNumber(1, 3_600)),
    )
    .option(
      '--cluster',
      'with three NATS servers and two api, four worker and two scanner processes, all killed at random; then two of each ' +
        'are restarted in order, three times',
    )
    .action(run(async (options) => (await import('./chaos')).chaos(options)))
}
