import { compose } from '../../src/composition-root.ts';
import { findProject } from '../../src/project.ts';
import { type PlanLifecycleService, PlanLifecycleServiceToken } from '@cleveragents/sandbox-application';

/** One call on plan `x`, as the app would make it. */
const [root = '', stateFolder = '', call = ''] = process.argv.slice(2);
const project = await findProject(root, stateFolder);
const plans = compose({ project, stateFolder }).get<PlanLifecycleService>(PlanLifecycleServiceToken);

if (call === 'create') await plans.create({ planId: 'x', resource: project.resource });
else if (call === 'apply') await plans.apply('x');
else if (call === 'cleanup') await plans.cleanup('x');
else throw new Error(`no such call: ${call}`);
