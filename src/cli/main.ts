import { Command } from 'commander'

const program = new Command('switchyard').description('Routes cross-chain deposits.')

program
  .command('test')
  .description('run every test, or those whose path is given')
  .argument('[paths...]')
  .action(async (paths: string[]) => {
    const { test } = await import('./verbs/test.ts')
    process.exit(await test(paths))
  })

await program.parseAsync()
