/**
 * The part of react-router that the pages use, in a tenth of its size: web/vite.config.ts puts this module in its place,
 * and the types stay those of react-router. It also tells links about a navigation before the next page is ready.
 */
export { Link, Navigate, NavLink } from './links.tsx';
export { useLocation, useNavigate, useNavigationType, useParams, useSearchParams } from './place.ts';
export { BrowserRouter, StaticRouter } from './router.tsx';
export { Outlet, Route, Routes } from './routes.tsx';
