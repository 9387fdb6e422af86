import { declareArrivalFaults } from './arrival-faults.suite.ts';

declareArrivalFaults({ stories: 10, kills: 2 });
