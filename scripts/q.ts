import { EXTRACTORS } from '../bench/extractors'
import { sampleSitemap } from '../bench/sample-sitemap'
const doc = sampleSitemap(10000); console.log(doc.length)
for (let r=0;r<3;r++) for (const name of ['sweep','scanner','saxes','fast-xml-parser']) { const f = await EXTRACTORS[name]!(10000); const ts:number[]=[]; let n=0; for (let i=0;i<(name.startsWith('s')&&name!=='saxes'?40:5);i++){const t=performance.now(); n=await f(doc) as number; ts.push(performance.now()-t)} ts.sort((a,b)=>a-b); console.log(name,n,'first?',ts.at(-1)!.toFixed(2),'median',ts[ts.length>>1]!.toFixed(2),'min',ts[0]!.toFixed(2)) }
