import { declareArrivalFaults } from './arrival-faults.suite.ts';

/** Every run tells other stories. */
const stories = Number(process.env.ARRIVAL_STORIES ?? 200);

declareArrivalFaults({ stories, kills: stories / 10 });
